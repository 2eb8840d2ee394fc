// Hovering over a term highlights the terms that it is linked with.
for (const kind of ["mouseover", "mouseout"]) document.addEventListener(kind, (event) => {
  const term = event.target.closest("[data-link]");
  if (!term) return;
  const article = term.closest("article"), on = kind === "mouseover";
  const wanted = term.dataset.link.split(" ");
  for (const other of article.querySelectorAll("[data-link]"))
    if (other.dataset.link.split(" ").some((link) => link && wanted.includes(link))) other.classList.toggle("lit", on);
  article.querySelector(".text").classList.toggle("looking", on);
});
