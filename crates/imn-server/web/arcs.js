// Arcs from opinions to the aspects that they are about, drawn behind the text.
//
// Two terms of one line are joined by an arc above it. Terms of different lines are joined by a
// curve that leaves both vertically, so that it crosses the lines between them steeply.

import { svg } from "./dom.js";

const ARROW = 4;
const SPREAD = 9;

/**
 * @typedef {object} Link
 * @property {HTMLElement} opinion
 * @property {HTMLElement} aspect
 * @property {string} sentiment
 * @property {number} weight the share of the aspect's attention, from 0 to 1
 */

/**
 * Draws all links of a block of text, and draws them again when its size changes.
 * @param {HTMLElement} block the positioned parent of all terms
 * @param {Link[]} links
 * @returns {{ paths: SVGElement[], stop: () => void }} one path per link
 */
export function drawArcs(block, links) {
  const canvas = svg("svg", { class: "arcs", "aria-hidden": "true", focusable: "false" });
  const paths = links.map((link) => {
    const group = svg("g", { class: `arc ${link.sentiment}` });
    const width = (1.25 + 1.5 * link.weight).toFixed(2);
    group.append(svg("path", { class: "line", "stroke-width": width }));
    group.append(svg("path", { class: "head" }));
    canvas.append(group);
    return group;
  });
  block.prepend(canvas);
  const place = () => {
    // A block that is hidden has no boxes; it is observed until it has.
    if (block.getClientRects().length === 0) return;
    const shapes = layout(block, links);
    shapes.forEach(({ line, head }, at) => {
      paths[at].children[0].setAttribute("d", line);
      paths[at].children[1].setAttribute("d", head);
    });
  };
  const observer = new ResizeObserver(place);
  observer.observe(block);
  place();
  return { paths, stop: () => observer.disconnect() };
}

/** @param {HTMLElement} block @param {Link[]} links */
function layout(block, links) {
  const origin = block.getBoundingClientRect();
  const boxes = new Map();
  for (const element of links.flatMap((link) => [link.opinion, link.aspect])) {
    if (!boxes.has(element)) boxes.set(element, element.getClientRects());
  }
  const ends = links.map((link) => nearestParts(boxes.get(link.opinion), boxes.get(link.aspect)));
  const x = anchors(links, ends);
  return links.map((_, at) => shape(ends[at], x[at], origin));
}

/**
 * A term that is broken over lines has several boxes; the two that are nearest are joined.
 * @param {DOMRectList} from
 * @param {DOMRectList} to
 * @returns {[DOMRect, DOMRect]}
 */
function nearestParts(from, to) {
  /** @type {[DOMRect, DOMRect]} */
  let best = [from[0], to[0]];
  let least = Infinity;
  for (const a of from) {
    for (const b of to) {
      const distance = Math.abs(a.top - b.top) * 10 + Math.abs(a.left - b.left);
      if (distance < least) {
        least = distance;
        best = [a, b];
      }
    }
  }
  return best;
}

/**
 * Several arcs at one term start side by side, in the order of their other ends.
 * @param {Link[]} links
 * @param {[DOMRect, DOMRect][]} ends
 */
function anchors(links, ends) {
  const middle = (/** @type {DOMRect} */ box) => box.left + box.width / 2;
  const x = ends.map(([from, to]) => [middle(from), middle(to)]);
  /** @type {("opinion" | "aspect")[]} */
  const sides = ["opinion", "aspect"];
  sides.forEach((side, index) => {
    for (const term of new Set(links.map((link) => link[side]))) {
      const here = links.flatMap((link, at) => (link[side] === term ? [at] : []));
      here.sort((a, b) => middle(ends[a][1 - index]) - middle(ends[b][1 - index]));
      const room = Math.max(0, ends[here[0]][index].width - 2 * ARROW);
      const step = here.length > 1 ? Math.min(SPREAD, room / (here.length - 1)) : 0;
      here.forEach((at, position) => {
        x[at][index] += (position - (here.length - 1) / 2) * step;
      });
    }
  });
  return x;
}

/**
 * @param {[DOMRect, DOMRect]} ends
 * @param {number[]} x
 * @param {DOMRect} origin
 */
function shape([from, to], x, origin) {
  const x1 = x[0] - origin.left;
  const x2 = x[1] - origin.left;
  const sameLine = Math.abs(from.top - to.top) < Math.min(from.height, to.height) / 2;
  if (sameLine) {
    const y1 = from.top - origin.top - 1;
    const y2 = to.top - origin.top - 2;
    const lift = Math.min(30, 12 + 0.06 * Math.abs(x2 - x1));
    const top = Math.min(y1, y2) - lift;
    const end = y2 - ARROW;
    return {
      line: `M${x1} ${y1}C${x1} ${top} ${x2} ${top} ${x2} ${end}`,
      head: `M${x2 - ARROW} ${end - 1}L${x2} ${y2}L${x2 + ARROW} ${end - 1}Z`,
    };
  }
  const down = to.top > from.top;
  const y1 = (down ? from.bottom + 3 : from.top - 1) - origin.top;
  const y2 = (down ? to.top - 2 : to.bottom + 2) - origin.top;
  const back = down ? -1 : 1;
  const end = y2 + back * ARROW;
  const bend = Math.min(Math.abs(end - y1) * 0.6, 60);
  return {
    line: `M${x1} ${y1}C${x1} ${y1 - back * bend} ${x2} ${end + back * bend} ${x2} ${end}`,
    head: `M${x2 - ARROW} ${end + back}L${x2} ${y2}L${x2 + ARROW} ${end + back}Z`,
  };
}
