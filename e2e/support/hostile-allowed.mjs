// Allowlist of the HTML elements and attributes that the page may contain. It covers what the page draws for the
// fixture `everything`, which has only harmless texts, and some reviewed additions. `hostile.spec.mjs` fails when a
// hostile text adds any other element or attribute.

/** Attributes that any element may bear: names, states and marks of our own; none of them loads, leads or runs. */
export const ALLOWED_ANYWHERE = [
  "class", "id", "role", "title", "lang", "tabindex", "hidden", "style", "dir", "translate",
  "data-cat", "data-contrast", "data-density", "data-event", "data-noscroll", "data-open", "data-record", "data-roving", "data-row", "data-session", "data-table", "data-task", "data-theme", "data-verdict", "data-fact", "data-part", "data-hidden", "data-kind", "data-code",
  "aria-activedescendant", "aria-atomic", "aria-autocomplete", "aria-busy", "aria-checked", "aria-controls", "aria-current", "aria-describedby", "aria-disabled", "aria-expanded", "aria-haspopup", "aria-hidden", "aria-invalid", "aria-label", "aria-labelledby", "aria-level", "aria-live", "aria-modal", "aria-multiselectable", "aria-orientation", "aria-posinset", "aria-pressed", "aria-rowcount", "aria-roledescription", "aria-selected", "aria-setsize", "aria-sort", "aria-valuemax", "aria-valuemin", "aria-valuenow",
];

const plain = (names) => Object.fromEntries(names.split(" ").map((name) => [name, []]));

/** Elements, each with the attributes that are its own. */
export const ALLOWED_ELEMENTS = {
  // The frame of the document: in its head, before any text is there.
  ...plain("html head body noscript title"),
  base: ["href"],
  link: ["as", "crossorigin", "href", "rel", "type", "integrity", "sizes"],
  meta: ["charset", "content", "media", "name", "http-equiv"],
  script: ["type", "src", "integrity", "crossorigin"],
  // Structure and words.
  ...plain("article aside b br caption code dd dl dt figcaption figure footer h1 h2 h3 h4 header hr i kbd label main mark nav p pre q section small span strong summary table tbody td thead tr ul"),
  ...plain("abbr bdi blockquote del em fieldset h5 h6 ins legend s sub sup tfoot u wbr"),
  a: ["href", "target", "rel", "referrerpolicy"],
  details: ["open", "name"],
  dialog: ["open"],
  div: ["popover"],
  li: ["value"],
  ol: ["start"],
  th: ["scope"],
  time: ["datetime"],
  img: ["src", "alt", "width", "height", "loading", "decoding"],
  // What a reader presses or fills in.
  button: ["disabled", "popovertarget", "type"],
  form: ["novalidate"],
  input: ["autocomplete", "autofocus", "disabled", "maxlength", "min", "max", "name", "placeholder", "spellcheck", "step", "type", "value", "enterkeyhint", "inputmode", "checked", "multiple", "webkitdirectory"],
  option: ["selected", "value"],
  select: ["disabled", "name"],
  textarea: ["maxlength", "placeholder", "rows"],
  // Drawings: shapes and words, no links, no foreign content, no animation, no filters.
  svg: ["height", "preserveAspectRatio", "viewBox", "width", "xmlns", "fill", "focusable"],
  g: ["transform"],
  circle: ["cx", "cy", "opacity", "r", "stroke-dasharray", "stroke-width"],
  path: ["d", "opacity", "stroke-width"],
  rect: ["height", "rx", "width", "x", "y"],
  text: ["text-anchor", "x", "y"],
  line: ["x1", "x2", "y1", "y2"],
  tspan: ["x", "y", "dy"],
};
