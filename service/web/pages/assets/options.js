// The fields for the options of a game.

/** Enter these options; fields of other options get their usual values. */
export function fillOptions(options) {
  for (const field of document.querySelectorAll("#options [name]")) {
    const name = field.name.replace("options.", "");
    if (field.type === "checkbox") field.checked = options[name] ?? field.defaultChecked;
    else if (field.matches("select")) {
      const usual = [...field.options].find((option) => option.defaultSelected)?.value;
      field.value = name in options ? JSON.stringify(options[name]) : usual;
    } else field.value = options[name] ?? field.defaultValue;
  }
}
