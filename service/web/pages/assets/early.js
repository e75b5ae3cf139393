// What is clicked before the scripts of the page have loaded is not in vain: it is clicked again once they have. This
// script comes before the page; the others are modules, which run before DOMContentLoaded. One that loads others before
// it listens is marked with data-late, and dispatches plyscribe:ready when it does.
{
  const clicked = new Map();

  // Scripts alone answer a board, a plain button, a button without a form, and the button of a form that goes nowhere.
  const keep = (event) => {
    const part = event.target.closest?.("button, [data-touch]");
    if (!part || (part.matches("button") && part.type !== "button" && part.form && part.form.method !== "dialog")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    clicked.set(part, event);
  };

  const repeat = () => {
    document.removeEventListener("click", keep, true);
    for (const [part, { detail, clientX, clientY, pointerType }] of clicked) {
      const how = { bubbles: true, cancelable: true, detail, clientX, clientY, pointerType };
      if (part.isConnected) part.dispatchEvent(new PointerEvent("click", how));
    }
  };

  const happens = (type) => new Promise((resolve) => document.addEventListener(type, resolve, { once: true }));

  document.addEventListener("click", keep, true);
  const ready = happens("plyscribe:ready");
  happens("DOMContentLoaded").then(() => document.querySelector("script[data-late]") && ready).then(repeat);
}
