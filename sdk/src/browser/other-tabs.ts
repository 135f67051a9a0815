/** Hears what the other tabs of an origin tell, and gives the function that tells them. News is what JSON can say. */
export function otherTabs<News>(name: string, hear: (news: News) => void): (news: News) => void {
  const channel = openChannel(name)
  if (!channel) return () => undefined
  channel.onmessage = ({ data }: MessageEvent<string>) => hear(JSON.parse(data))
  channel.unref?.() // Node would wait for news for ever
  return (news) => channel.postMessage(JSON.stringify(news))
}

/** Null where there are no channels, or the browser denies them as it denies storage. */
function openChannel(name: string): (BroadcastChannel & { unref?(): void }) | null {
  try {
    return new BroadcastChannel(name)
  } catch {
    return null
  }
}
