/** Connects the tabs of an origin: calls `onMessage` for messages of other tabs, and returns the function that sends one. Messages are JSON. */
export function connectTabs<Message>(name: string, onMessage: (message: Message) => void): (message: Message) => void {
  const channel = openChannel(name)
  if (!channel) return () => undefined
  channel.onmessage = ({ data }: MessageEvent<string>) => onMessage(JSON.parse(data))
  channel.unref?.() // otherwise it keeps Node running
  return (message) => channel.postMessage(JSON.stringify(message))
}

/** Null if `BroadcastChannel` is missing, or denied like storage. */
function openChannel(name: string): (BroadcastChannel & { unref?(): void }) | null {
  try {
    return new BroadcastChannel(name)
  } catch {
    return null
  }
}
