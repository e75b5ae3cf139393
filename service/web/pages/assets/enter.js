// The page behind the entry link of a tournament, and the page that shows that link.

import { sendForms } from "/assets/tournament_forms.js";

sendForms(() => location.reload());

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-prints]")) print();
});
