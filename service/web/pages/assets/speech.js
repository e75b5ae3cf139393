// What scripts say, in the language of the page. English is what the code says.

const texts = globalThis.plyscribeTexts ?? {};

/** The text in the language of the page; `%(name)s` in it becomes the value of that name. */
export function gettext(text, values = {}) {
  return fillIn(texts[text]?.[0] ?? text, values);
}

/** The text for a number in the language of the page; `%(num)s` is the number. */
export function ngettext(one, many, num, values = {}) {
  const forms = texts[one] ?? [one, many];
  return fillIn(forms[num === 1 ? 0 : forms.length - 1], { num, ...values });
}

function fillIn(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
}
