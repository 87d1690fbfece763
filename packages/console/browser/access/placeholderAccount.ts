import type { SignedIn } from "@tapeline/client"

/**
 * The account in the HTML that the build renders. Its name and plan are invisible, but reserve the width of a typical
 * name and plan.
 */
export const placeholderAccount: SignedIn = {
  id: 0,
  name: "\u00a0".repeat(12),
  created_at: "1970-01-01T00:00:00.000Z",
  plan: {
    name: "\u00a0".repeat(8),
    monthly_credits: 0,
    keys: 0,
    requests_per_minute: 0,
    answers_per_day: 0
  },
  session: {
    id: 0,
    signed_in_by: "link",
    device: "",
    created_at: "1970-01-01T00:00:00.000Z",
    last_used_at: "1970-01-01T00:00:00.000Z",
    ends_at: "1970-01-01T00:00:00.000Z",
    ended_at: null,
    ended_because: null,
    current: true
  }
}
