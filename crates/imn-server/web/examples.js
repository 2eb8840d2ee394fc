// Reviews to start with, our own writing.

export const EXAMPLES = [
  {
    name: "Ramen bar",
    text: "The ramen was wonderful, but our waiter ignored us.",
  },
  {
    name: "Hotel",
    text:
      "The room was clean and quiet, and the view from the balcony is breathtaking. " +
      "Breakfast could be better: cold eggs, weak coffee.",
  },
  {
    name: "Laptop",
    text:
      "Battery life is decent and the screen is gorgeous. The speakers sound tinny, " +
      "and the trackpad is terrible.",
  },
  {
    name: "A negation",
    text: "The potato balls were not dry at all.",
  },
];
