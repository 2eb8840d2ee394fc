// One tooltip for the page: on hover, on focus and on touch; Escape closes it.

import { byId, element } from "./dom.js";

const GAP = 8;

/** @type {HTMLElement | null} */
let owner = null;

/**
 * Shows these lines while the pointer or the focus is on an element.
 * @param {HTMLElement} target
 * @param {() => string[]} lines the first is the title
 */
export function describe(target, lines) {
  const show = () => open(target, lines());
  target.addEventListener("pointerenter", show);
  target.addEventListener("focus", show);
  target.addEventListener("pointerleave", () => {
    if (document.activeElement !== target) close(target);
  });
  target.addEventListener("blur", () => close(target));
}

/** @param {HTMLElement} target @param {string[]} lines */
function open(target, lines) {
  const tip = byId("tip", HTMLElement);
  owner?.removeAttribute("aria-describedby");
  owner = target;
  tip.replaceChildren(...lines.map((line) => element("span", "", line)));
  tip.hidden = false;
  target.setAttribute("aria-describedby", tip.id);
  const at = target.getClientRects()[0] ?? target.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const left = at.left + at.width / 2 - tip.offsetWidth / 2;
  const below = at.bottom + GAP;
  const fits = below + tip.offsetHeight < document.documentElement.clientHeight;
  tip.style.left = `${Math.max(GAP, Math.min(left, width - tip.offsetWidth - GAP))}px`;
  tip.style.top = `${fits ? below : Math.max(GAP, at.top - tip.offsetHeight - GAP)}px`;
}

/** @param {HTMLElement | null} target */
function close(target) {
  if (owner === null || owner !== target) return;
  owner.removeAttribute("aria-describedby");
  owner = null;
  byId("tip", HTMLElement).hidden = true;
}

/** Closes the tooltip of an element that is about to leave the page. */
export function closeTooltip() {
  close(owner);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeTooltip();
});
// The tooltip stands still in the window; its element does not.
document.addEventListener("scroll", closeTooltip, { capture: true, passive: true });
