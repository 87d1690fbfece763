import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** A plan whose limits are too high for a bench to reach. */
export const plans = {
  bench: { monthly_credits: 1_000_000_000_000, keys: 1, requests_per_minute: 1_000_000_000, answers_per_day: 0 }
}

export const adminToken = "administration-token-of-the-bench"

export const startFlags = ["--max-semi-space-size=8", "--heap-growing-percent=50"]

export const serverMain = join(dirname(fileURLToPath(import.meta.resolve("@tapeline/server"))), "main.ts")
