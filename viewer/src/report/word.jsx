// SPDX-License-Identifier: BSD-3-Clause
/* Words with a colour and a shape. */
const SHAPES = {
  good: ["good", "▲"],
  pass: ["good", "✓"],
  yes: ["good", "✓"],
  certain: ["good", "✓"],
  better: ["good", "▲"],
  fair: ["fair", "●"],
  likely: ["fair", "●"],
  skip: ["fair", "–"],
  guess: ["fair", "?"],
  noise: ["noise", "≈"],
  unresolved: ["noise", "≈"],
  same: ["noise", "="],
  different: ["sure", "≠"],
  more: ["sure", "▲"],
  less: ["sure", "▼"],
  poor: ["poor", "▼"],
  worse: ["poor", "▼"],
  fail: ["poor", "✗"],
  no: ["poor", "✗"],
};

const known = (text) => SHAPES[String(text).toLowerCase()];

/* The class of a word's colour, or "". */
export const colourOf = (text) => known(text)?.[0] || "";

export function Word({ text }) {
  const shape = known(text);

  if (!shape) return <>{text ?? "–"}</>;
  return (
    <span class={`verdict ${shape[0]}`}>
      <span aria-hidden="true">{shape[1]}</span> {text}
    </span>
  );
}
