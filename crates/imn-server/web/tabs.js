// Tabs with the keyboard as screen readers expect it: one stop, arrow keys between the tabs.

import { byId } from "./dom.js";

/** @param {string[]} names parts of the ids `tab-NAME` and `panel-NAME` */
export function makeTabs(names) {
  const tabs = names.map((name) => byId(`tab-${name}`, HTMLButtonElement));
  const panels = names.map((name) => byId(`panel-${name}`, HTMLElement));
  /** @param {number} at */
  const show = (at) => {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === at));
      tab.tabIndex = index === at ? 0 : -1;
      panels[index].hidden = index !== at;
    });
  };
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => show(at));
    tab.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1 };
      const step = steps[/** @type {keyof typeof steps} */ (event.key)];
      if (step === undefined) return;
      event.preventDefault();
      const target = (at + step + tabs.length) % tabs.length;
      show(target);
      tabs[target].focus();
    });
  });
  return { show: (/** @type {string} */ name) => show(names.indexOf(name)) };
}
