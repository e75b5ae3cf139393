// Enters only the result of a game: taps on names in the order of the places, or who did not come.

import { formatProblem, send } from "/assets/commands.js";
import { gettext } from "/assets/speech.js";

export class ResultEntry {
  constructor(root) {
    this.root = root;
    this.forget();
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("change", () => this.show());
    this.show();
  }

  /** The form; null if no result can be entered. It is drawn anew when the tournament changes. */
  get form() {
    return document.getElementById("result-entry");
  }

  forget() {
    // The seats in the order of their places; each place is a list of the seats that share it.
    this.places = [];
  }

  click(event) {
    const button = event.target.closest("button");
    if (!button?.closest("#phone-result")) return;
    const { seat, result } = button.dataset;
    if (seat) this.place(Number(seat));
    else if (result === "tie") this.places = [this.seats];
    else if (result === "again") this.forget();
    else if (result === "ask") this.find("dialog").showModal();
    else if (result === "back") this.find("dialog").close();
    else if (result === "send") this.send(button);
    this.show();
  }

  find(selector) {
    return this.form.querySelector(selector);
  }

  get seats() {
    return [...this.form.querySelectorAll("[data-seat]")].map(({ dataset }) => Number(dataset.seat));
  }

  name(seat) {
    return this.find(`[data-seat="${seat}"]`).dataset.name;
  }

  /** Give a seat the next place or, with the box checked, the place of the one before. A second tap takes it back. */
  place(seat) {
    const at = this.places.findIndex((place) => place.includes(seat));
    if (at >= 0) {
      this.places[at] = this.places[at].filter((each) => each !== seat);
      this.places = this.places.filter((place) => place.length);
    } else if (this.find("#result-shares")?.checked && this.places.length) {
      this.places.at(-1).push(seat);
    } else if (this.seats.length === 2) {
      // Of two, whoever is tapped has won.
      this.places = [[seat]];
    } else {
      this.places.push([seat]);
    }
    const left = this.seats.filter((each) => !this.places.flat().includes(each));
    if (left.length === 1 && this.places.length && !this.find("#result-shares")?.checked) this.places.push(left);
  }

  get absent() {
    return [...this.form.querySelectorAll("[data-absent]:checked")].map(({ dataset }) => Number(dataset.absent));
  }

  /** The rank of each seat; null if a seat has none yet. */
  get ranks() {
    if (this.places.flat().length !== this.seats.length) return null;
    return this.seats.map((seat) => {
      const at = this.places.findIndex((place) => place.includes(seat));
      return 1 + this.places.slice(0, at).flat().length;
    });
  }

  /** The result in a sentence; "" as long as it is not whole. */
  say() {
    const { absent, ranks } = this;
    if (absent.length) {
      const names = [...this.form.querySelectorAll("[data-absent]:checked")].map(({ dataset }) => dataset.name).join(", ");
      return gettext("Did not come: %(names)s", { names });
    }
    if (!ranks) return "";
    if (this.places.length === 1) return gettext("A tie: %(names)s", { names: this.places[0].map((seat) => this.name(seat)).join(", ") });
    return this.places.map((place) => `${ranks[this.seats.indexOf(place[0])]}. ${place.map((seat) => this.name(seat)).join(", ")}`).join(" · ");
  }

  show() {
    if (!this.form) return;
    const { absent } = this;
    const flat = this.places.flat();
    for (const button of this.form.querySelectorAll("[data-seat]")) {
      const at = this.places.findIndex((place) => place.includes(Number(button.dataset.seat)));
      button.setAttribute("aria-pressed", `${at >= 0 && !absent.length}`);
      button.disabled = absent.length > 0;
      button.querySelector(".rank").textContent = at < 0 || absent.length ? "" : `${1 + this.places.slice(0, at).flat().length}.`;
    }
    const said = this.say();
    this.form.dataset.said = said;
    this.find(".result-said").textContent = said;
    this.find("dialog .result-asked").textContent = said;
    this.find("[data-result=ask]").disabled = !said;
    this.find("[data-result=again]").disabled = !flat.length;
  }

  async send(button) {
    const { tournament, round, board, game } = this.root.dataset;
    const forfeited = this.absent;
    const body = { round: Number(round), board: Number(board), game: Number(game), ...(forfeited.length ? { forfeited } : { ranks: this.ranks }) };
    button.disabled = true;
    const { ok, answer, isKept } = await send(`/v1/tournaments/${tournament}/results`, body);
    button.disabled = false;
    if (!this.form) return;
    this.find("dialog").close();
    this.find(".refusal").textContent = ok ? "" : formatProblem(answer);
    if (ok || isKept) this.form.dataset.sent = "";
  }
}
