// A button that is clicked before the scripts of the page have loaded is not in vain: it is clicked again once they
// have. This script comes before the page; the others are modules, which run before DOMContentLoaded.
{
  const clicked = new Map();

  const keep = (event) => {
    if (event.target.method !== "dialog") return;
    event.preventDefault();
    clicked.set(event.target, event.submitter);
  };

  document.addEventListener("submit", keep);
  document.addEventListener("DOMContentLoaded", () => {
    document.removeEventListener("submit", keep);
    for (const [form, button] of clicked) if (form.isConnected) form.requestSubmit(button);
  });
}
