import type { Key } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { parseNumber } from "../../i18n/parseNumber.ts"

/** The limits of a key as texts of form fields. An empty text means no limit. */
export interface LimitDraft {
  readonly credits: string
  readonly requests: string
  /** One IP address or range of addresses on each line. */
  readonly addresses: string
}

export const emptyLimits: LimitDraft = { credits: "", requests: "", addresses: "" }

type Limits = Pick<Key, "monthly_credits" | "requests_per_minute" | "allowed_ips">

const toText = (limit: number | null): string => limit === null ? "" : String(limit)

export const toLimitDraft = (key: Limits): LimitDraft => ({
  credits: toText(key.monthly_credits),
  requests: toText(key.requests_per_minute),
  addresses: key.allowed_ips.join("\n")
})

/** Returns the whole number in a field, null for an empty field, or undefined for another text. */
export const parseLimit = (text: string, minimum: number, language: Language): number | null | undefined => {
  if (text.trim() === "") return null
  const value = parseNumber(text, language)
  return value !== undefined && Number.isSafeInteger(value) && value >= minimum ? value : undefined
}

/**
 * Converts the fields of a form, or returns undefined if a number is not valid. The service and not the form checks the
 * IP addresses.
 */
export const parseLimits = (draft: LimitDraft, language: Language): Limits | undefined => {
  const credits = parseLimit(draft.credits, 0, language)
  const requests = parseLimit(draft.requests, 1, language)
  if (credits === undefined || requests === undefined) return undefined
  const addresses = draft.addresses.split(/[\s,]+/u).filter((text) => text !== "")
  return { monthly_credits: credits, requests_per_minute: requests, allowed_ips: addresses }
}
