// Reads a file by stream, drops its bytes and posts their number.
self.onmessage = async ({ data }) => {
  let bytes = 0;
  for await (const part of data.stream()) bytes += part.length;
  self.postMessage(bytes);
};
