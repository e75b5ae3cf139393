// Two players a match, each with a websocket of its own: node players.js PORT MATCHES MOVES
//
// Says "ready" when all are seated and know the board. A line of input starts all matches. A player moves as soon as the
// server has told them the other's move. Says how many milliseconds passed until both players of each match knew the
// last move, and ends.

const { Client, LobbyClient } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");

const game = require("./game");

const [port, matches, moves] = process.argv.slice(2).map(Number);
const server = `http://127.0.0.1:${port}`;

main();

async function main() {
  const seats = await Promise.all(Array.from({ length: matches }, openMatch));
  console.log("ready");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  const start = performance.now();
  await Promise.all(seats.flat().map(play));
  console.log(performance.now() - start);
  process.exit(0);
}

async function openMatch() {
  const lobby = new LobbyClient({ server });
  const { matchID } = await lobby.createMatch(game.name, { numPlayers: 2 });
  return Promise.all(["0", "1"].map((playerID) => sitDown(lobby, matchID, playerID)));
}

async function sitDown(lobby, matchID, playerID) {
  const { playerCredentials } = await lobby.joinMatch(game.name, matchID, { playerID, playerName: playerID });
  const client = Client({
    game,
    matchID,
    playerID,
    credentials: playerCredentials,
    multiplayer: SocketIO({ server, socketOpts: { transports: ["websocket"] } }),
    debug: false,
  });
  client.start();
  await new Promise((resolve) => {
    const stop = client.subscribe((state) => {
      if (state === null || !state.isConnected) return;
      setImmediate(() => stop());
      resolve();
    });
  });
  return client;
}

/** Make this player's moves. A state from the server is one that all earlier moves are in. */
function play(client) {
  return new Promise((resolve) => {
    let moved = 0;
    const look = ({ ctx: { turn, currentPlayer } }) => {
      if (turn > moves) return resolve();
      if (currentPlayer !== client.playerID || moved === turn) return;
      moved = turn; // first, because the client is told of its own move at once
      client.moves.fill(turn - 1);
    };
    client.subscribe((state) => state && look(state));
    look(client.getState());
  });
}
