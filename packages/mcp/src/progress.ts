/** Describes an event of an answer as a progress message; undefined for events without one. */
export const progressIn = (kind: string, data: object): string | undefined => {
  if (kind === "status" && "text" in data) return String(data.text)
  if (!("name" in data)) return undefined
  if (kind === "tool") return `Calls ${String(data.name)}`
  return kind === "tool_done" && "ok" in data && data.ok === false
    ? `${String(data.name)} could not be answered`
    : undefined
}
