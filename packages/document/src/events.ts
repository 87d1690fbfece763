/** A server-sent event as received. Each field occurs once. */
export type Event = Readonly<Record<string, string>>

/** Parses the complete events of a stream. Lines that begin with a colon are comments. */
export const eventsOf = (text: string): ReadonlyArray<Event> =>
  text.split("\n\n").slice(0, -1).flatMap((block) => {
    const lines = block.split("\n").filter((line) => line !== "" && !line.startsWith(":"))
    return lines.length === 0 ? [] : [Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")]
      })
    )]
  })
