// Worker that reads files which a person opens on the page. It runs the page's own program off the main thread: the
// first message names its script and holds the compiled module.
self.onmessage = async ({ data }) => {
  try {
    const program = await import(data.script);
    await program.default({ module_or_path: data.module });
  } catch (error) {
    self.postMessage(["failed"]);
    throw error;
  }
};
