"use strict";
(() => {
  const list = document.getElementById("list");
  const search = document.getElementById("search");
  const sort = document.getElementById("sort");
  const shown = document.getElementById("shown");
  const groups = Array.from(list.querySelectorAll("details.group"), (element) => ({
    element,
    name: element.dataset.name,
    words: (element.dataset.name + "\n" + element.dataset.terms).toLowerCase(),
    count: Number(element.dataset.count),
    negative: Number(element.dataset.negative),
    net: Number(element.dataset.net),
  }));
  const byName = (a, b) => a.name.localeCompare(b.name);
  const byCount = (a, b) => b.count - a.count || byName(a, b);
  const orders = {
    count: byCount,
    negative: (a, b) => b.negative - a.negative || byCount(a, b),
    worst: (a, b) => a.net - b.net || byCount(a, b),
    best: (a, b) => b.net - a.net || byCount(a, b),
    name: byName,
  };
  const arrange = () => {
    groups.sort(orders[sort.value] || byCount);
    list.append(...groups.map((group) => group.element));
  };
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    let found = 0;
    for (const group of groups) {
      const matches = group.words.includes(wanted);
      group.element.hidden = !matches;
      found += matches ? 1 : 0;
    }
    shown.textContent = found === 1 ? "1 group" : found.toLocaleString("en") + " groups";
  };
  sort.addEventListener("change", arrange);
  search.addEventListener("input", filter);
  document.querySelector("form.tools").addEventListener("submit", (event) => event.preventDefault());
  // Browsers restore the form when the user navigates back.
  arrange();
  filter();
})();
