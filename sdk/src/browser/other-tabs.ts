/** Hears what the other tabs of an origin tell, and gives the function that tells them. News is what JSON can say. */
export function otherTabs<News>(name: string, hear: (news: News) => void): (news: News) => void {
  if (!globalThis.BroadcastChannel) return () => undefined
  const channel: BroadcastChannel & { unref?(): void } = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<string>) => hear(JSON.parse(data))
  channel.unref?.() // Node would wait for news for ever
  return (news) => channel.postMessage(JSON.stringify(news))
}
