// What all peers share. They listen on loopback only.
module.exports = {
  port: Number(process.env.PORT),
  host: '127.0.0.1',
  secret: process.env.SECRET,
};
