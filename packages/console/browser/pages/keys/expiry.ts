/** The lifetime of a key: unchanged, unlimited, a number of days, or until the end of a day in the user's time zone. */
export type Lifetime = "kept" | "never" | "30" | "90" | "365" | "day"

const dayMs = 86_400_000

/** The time at which a key expires: null for never, undefined for no change. */
export type Expiry =
  | { readonly at: string | null | undefined }
  | { readonly fault: "no day" | "past" }

/** Converts the lifetime of a key to the time of expiry, for a `day` as YYYY-MM-DD in the user's time zone. */
export const computeExpiry = (lifetime: Lifetime, day: string, now: number): Expiry => {
  if (lifetime === "kept") return { at: undefined }
  if (lifetime === "never") return { at: null }
  if (lifetime !== "day") return { at: new Date(now + Number(lifetime) * dayMs).toISOString() }
  const end = new Date(`${day}T23:59:59`).getTime()
  if (Number.isNaN(end)) return { fault: "no day" }
  return end <= now ? { fault: "past" } : { at: new Date(end).toISOString() }
}

/** Returns today's date in the user's time zone, YYYY-MM-DD. */
export const today = (now: number): string => {
  const date = new Date(now)
  const twoDigits = (part: number): string => String(part).padStart(2, "0")
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`
}
