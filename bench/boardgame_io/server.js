// The server of boardgame.io, with matches in memory: node server.js PORT

const { Server } = require("boardgame.io/server");

const port = Number(process.argv[2]);
console.log = () => {};
const server = Server({ games: [require("./game")], origins: [/./] });
server.router.get("/healthz", (context) => {
  context.body = "{}";
});
server.run({ port, lobbyConfig: { apiPort: 0 } }).catch((error) => {
  console.error(error);
  process.exit(1);
});
