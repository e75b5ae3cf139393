// A button that is clicked before the scripts of the page have loaded is not in vain: it is clicked again once they
// have. This script comes before the page; the others are modules, which run before DOMContentLoaded.
{
  const clicked = new Set();

  // Scripts alone answer a plain button, a button without a form, and the button of a form that goes nowhere.
  const keep = (event) => {
    const button = event.target.closest?.("button");
    if (!button || (button.type !== "button" && button.form && button.form.method !== "dialog")) return;
    event.preventDefault();
    clicked.add(button);
  };

  document.addEventListener("click", keep);
  document.addEventListener("DOMContentLoaded", () => {
    document.removeEventListener("click", keep);
    for (const button of clicked) if (button.isConnected) button.click();
  });
}
