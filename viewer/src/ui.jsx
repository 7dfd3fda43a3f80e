// SPDX-License-Identifier: BSD-3-Clause
/* Parts that every view uses: frame, tabs, windows, choices. */
import { useEffect, useRef, useState } from "preact/hooks";

export function Fault({ text }) {
  return (
    <p class="fault" role="alert">
      {text}
    </p>
  );
}

export function Note({ children }) {
  return <p class="note">{children}</p>;
}

/* Light, dark, or the setting of the system. */
export function useTheme() {
  const [choice, setChoice] = useState("auto");
  const query = matchMedia("(prefers-color-scheme: dark)");
  const [system, setSystem] = useState(query.matches);

  useEffect(() => {
    const listen = (event) => setSystem(event.matches);
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  }, []);
  const dark = choice === "auto" ? system : choice === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  return {
    dark,
    toggle: () => setChoice(dark ? "light" : "dark"),
  };
}

export function Frame({ title, detail, theme, tools, help, children }) {
  return (
    <>
      <header class="top">
        <h1>
          <span class="mark" aria-hidden="true" /> {title}
        </h1>
        <div class="detail">{detail}</div>
        <div class="tools">
          {tools}
          <button
            type="button"
            class="quiet"
            onClick={theme.toggle}
            title="Light or dark (t)"
          >
            {theme.dark ? "Light" : "Dark"}
          </button>
          {help && (
            <button type="button" class="quiet" onClick={help} title="Keys (?)">
              Keys
            </button>
          )}
        </div>
      </header>
      {children}
    </>
  );
}

/* tabs: [{ id, name, count? }] */
export function Tabs({ label, tabs, chosen, choose, children }) {
  const step = (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(at + move + tabs.length) % tabs.length];
    choose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };

  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            key={tab.id}
            aria-selected={tab.id === chosen}
            aria-controls="panel"
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => choose(tab.id)}
          >
            {tab.name}
            {tab.count > 0 && <span class="badge">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div
        class="panel"
        role="tabpanel"
        id="panel"
        aria-labelledby={`tab-${chosen}`}
      >
        {children}
      </div>
    </>
  );
}

/* One of a few: options are [value, text]. */
export function Choice({ label, options, value, choose }) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(event.target.value)}>
        {options.map(([key, text]) => (
          <option value={key} key={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Check({ label, checked, set, title }) {
  return (
    <label class="check" title={title}>
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => set(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

export function Search({ label, value, set, id }) {
  return (
    <input
      type="search"
      id={id}
      class="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={(event) => set(event.target.value)}
    />
  );
}

/* A window over the page; Escape closes it. */
export function Dialog({ title, close, children, wide }) {
  const ref = useRef();

  useEffect(() => {
    const dialog = ref.current;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class={wide ? "wide" : ""}
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === ref.current && close()}
    >
      <div class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="quiet" onClick={close} aria-label="Close">
          ✕
        </button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

export const LIST_KEYS = [["↑ / ↓, Enter", "in a list (reached with Tab): go to a row, choose it"]];

export function Keys({ close, keys }) {
  return (
    <Dialog title="Keys" close={close}>
      <table class="keys">
        <tbody>
          {keys.map(([key, text]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

/* Keys of the whole page, unless somebody is typing. */
export function useKeys(table) {
  useEffect(() => {
    const press = (event) => {
      const typing = event.target.closest?.("input, textarea, select, dialog");
      if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
      const act = table[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

/* What a promise gave: { value } or { fault }, or nothing yet. */
export function usePromise(make, keys) {
  const [state, setState] = useState({});

  useEffect(() => {
    let wanted = true;
    setState({});
    Promise.resolve()
      .then(make)
      .then(
        (value) => wanted && setState({ value }),
        (error) => wanted && setState({ fault: error.message }),
      );
    return () => (wanted = false);
  }, keys);
  return state;
}

export function download(name, text, type = "text/plain") {
  const link = document.createElement("a");

  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
