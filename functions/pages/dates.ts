/** A day as people write it, in UTC: the same for everybody who speaks of it. */
export const formatDate = (time: string, { tag }: { tag: string }): string =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))
