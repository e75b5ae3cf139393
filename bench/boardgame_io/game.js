// A game that costs nothing: two players fill the squares of a board in turn.

const SQUARES = 128;

module.exports = {
  name: "squares",
  setup: () => ({ squares: Array(SQUARES).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    fill: ({ G, playerID }, square) => {
      if (G.squares[square] !== null) return "INVALID_MOVE";
      G.squares[square] = playerID;
    },
  },
};
