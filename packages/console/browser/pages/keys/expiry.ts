/** How long a key is to live: as it is now, for ever, for so many days, or to the end of a day of the reader's. */
export type Lifetime = "kept" | "never" | "30" | "90" | "365" | "day"

const dayMs = 86_400_000

/** The instant at which it ends; null for never, undefined where nothing changes. */
export type Expiry =
  | { readonly at: string | null | undefined }
  | { readonly fault: "no day" | "past" }

/** What a lifetime comes to; `day` is YYYY-MM-DD, in the reader's time zone. */
export const expiryOf = (lifetime: Lifetime, day: string, now: number): Expiry => {
  if (lifetime === "kept") return { at: undefined }
  if (lifetime === "never") return { at: null }
  if (lifetime !== "day") return { at: new Date(now + Number(lifetime) * dayMs).toISOString() }
  const end = new Date(`${day}T23:59:59`).getTime()
  if (Number.isNaN(end)) return { fault: "no day" }
  return end <= now ? { fault: "past" } : { at: new Date(end).toISOString() }
}

/** Today where the reader is, YYYY-MM-DD. */
export const today = (now: number): string => {
  const date = new Date(now)
  const two = (part: number): string => String(part).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
