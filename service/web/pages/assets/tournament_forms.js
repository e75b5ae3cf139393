// The buttons and forms of tournament pages: they ask before what cannot be undone, send, and say what was refused.

import { formatProblem, readForm, send } from "/assets/commands.js";
import { gettext } from "/assets/speech.js";

const ACCOUNT = /^player-[a-z2-7]{26}$/;

const find = (id) => document.getElementById(id);

/**
 * Send what the buttons and forms with `data-post` say, and call `refresh` after each.
 *
 * `data-method` is the method. `data-asks` is a question that has to be answered first. `data-goes` is the page that
 * follows success; empty, this one. `:entrant` in the address is the value of the field `entrant`.
 */
export function sendForms(refresh) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-post]");
    if (button) act(button, button, {});
  });
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-post]");
    if (!form) return;
    event.preventDefault();
    act(form, event.submitter ?? form.querySelector("button"), trim(readForm(form)));
  });

  async function act(source, button, body) {
    const { post, method, asks, goes } = source.dataset;
    const path = fill(post, body);
    if (asks && !(await ask(asks, button.textContent))) return;
    const entered = listFields(source).map(({ value }) => value);
    button.disabled = true;
    const { ok, answer } = await send(path, readAccount(body), { method });
    button.disabled = false;
    // The page may have been renewed meanwhile.
    const sent = source.isConnected ? source : (source.id && find(source.id)) || source;
    (sent.querySelector(".refusal") ?? find("refusal")).textContent = ok ? "" : formatProblem(answer);
    if (ok && goes) return location.assign(goes);
    if (ok && goes === "") return location.reload();
    if (ok && sent.matches("form")) clear(sent, entered);
    if (ok && find("done")) find("done").textContent = gettext("Done.");
    refresh();
  }
}

function listFields(form) {
  return [...form.querySelectorAll("input:not([type=checkbox], [type=radio]), textarea")];
}

/** Empty a form whose texts were sent. What was typed since then, such as the next name, stays. */
function clear(form, sent) {
  const fields = listFields(form);
  const typed = fields.map(({ value }) => value);
  form.reset();
  fields.forEach((field, place) => typed[place] !== sent[place] && (field.value = typed[place]));
}

/** The address with the values of fields in the places of their names, which are then no part of the body. */
function fill(path, body) {
  return path.replace(/:(\w+)/g, (_, name) => {
    const value = body[name];
    delete body[name];
    return encodeURIComponent(value);
  });
}

/** The body without spaces around its texts: keyboards of phones add some. */
function trim(body) {
  const entries = Object.entries(body).map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

/** The body with an account by its id or its name, whichever was entered. */
function readAccount({ account, ...body }) {
  if (account === undefined) return body;
  return { ...body, [ACCOUNT.test(account) ? "player" : "name"]: account };
}

/** Whether the reader says yes to a question. */
export function ask(question, yes) {
  const dialog = document.createElement("dialog");
  const [words, form, go, cancel] = ["p", "form", "button", "button"].map((each) => document.createElement(each));
  words.textContent = question;
  words.id = "asked";
  form.method = "dialog";
  form.className = "actions";
  Object.assign(go, { value: "yes", textContent: yes });
  Object.assign(cancel, { value: "no", textContent: gettext("Cancel"), className: "second", autofocus: true });
  form.append(go, cancel);
  dialog.append(words, form);
  dialog.setAttribute("aria-labelledby", "asked");
  dialog.className = "asking";
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
