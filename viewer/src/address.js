// SPDX-License-Identifier: BSD-3-Clause
/*
 * What is shown, kept behind the # of the page's address: a link shows its
 * reader what its sender saw. Only what differs from the default is there.
 */
import { useEffect, useState } from "preact/hooks";

const read = () => new URLSearchParams(location.hash.slice(1));

export const addressOf = (name) => read().get(name);

export function writeAddress(name, value) {
  const all = read();

  if (value === null || value === undefined) all.delete(name);
  else all.set(name, value);
  const text = String(all);
  history.replaceState(history.state, "", text ? `#${text}` : location.pathname + location.search);
}

/* useState() for a text that is in the address under @name; null: the default. */
export function useAddress(name, start = null) {
  const [value, setValue] = useState(() => addressOf(name) ?? start);

  useEffect(() => {
    const listen = () => setValue(addressOf(name) ?? start);
    addEventListener("hashchange", listen);
    return () => removeEventListener("hashchange", listen);
  }, [name, start]);
  const set = (next) => {
    setValue(next ?? start);
    writeAddress(name, next === start ? null : next);
  };
  return [value, set];
}

/* The same for yes or no. */
export function useAddressFlag(name, start = false) {
  const [value, set] = useAddress(name, start ? "1" : "0");

  return [value === "1", (on) => set(on ? "1" : "0")];
}
