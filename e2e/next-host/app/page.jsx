export default function Page() {
  return (
    <main>
      <h1>Task-Hub</h1>
      <a href="/hub/">Conversations</a>
    </main>
  );
}
