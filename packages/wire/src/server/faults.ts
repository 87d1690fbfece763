/** A way in which a fake source fails. */
export type FakeFault =
  /** Accepts a request and never responds. */
  | { readonly _tag: "silent" }
  /** Closes the connection instead of responding. */
  | { readonly _tag: "reset" }
  /** Sends the headers and half of the response body, and leaves the connection open. */
  | { readonly _tag: "stalled" }
  /** Closes the connection in the middle of the response body. */
  | { readonly _tag: "cut" }
  | { readonly _tag: "endless" }
  | {
    readonly _tag: "answer"
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body: unknown
  }
  | { readonly _tag: "rewritten"; readonly rewrite: (text: string) => string }
  | { readonly _tag: "bytes"; readonly bytes: Uint8Array; readonly headers?: Readonly<Record<string, string>> }
  /** Sends the usual response with another `date` header, or without the header. */
  | { readonly _tag: "dated"; readonly date: (now: number) => string | null }

const page = "<!DOCTYPE html><html><head><title>Sorry</title></head><body>Back soon</body></html>"

const answer = (
  status: number,
  body: unknown = { message: "no" },
  headers: Readonly<Record<string, string>> = {}
): FakeFault => ({ _tag: "answer", status, body, headers })

const html = { "content-type": "text/html; charset=utf-8" }

const withText = (text: string): FakeFault => ({ _tag: "rewritten", rewrite: () => text })

/** Faults after which a client retries the request. */
export const transientFaults: Readonly<Record<string, FakeFault>> = {
  "slow headers": { _tag: "silent" },
  "slow body": { _tag: "stalled" },
  "cut body": { _tag: "cut" },
  "ended connection": { _tag: "reset" },
  "status 500": answer(500),
  "status 502 with a page": answer(502, page, html),
  "status 503 for a second": answer(503, { message: "busy" }, { "retry-after": "1" }),
  "status 504 without a body": answer(504, "")
}

/** Rate limits that end before the client stops retrying. */
export const shortRateLimits: Readonly<Record<string, FakeFault>> = {
  "429 without a pause": answer(429),
  "429 for a second": answer(429, { message: "slow down" }, { "retry-after": "1" }),
  "418 for a second": answer(418, { message: "teapot" }, { "retry-after": "1" })
}

/**
 * Rate limits that last longer than the time in which a client retries. Each entry contains the `retry-after` in
 * milliseconds that the client must report, or null.
 */
export const longRateLimits: Readonly<Record<string, readonly [fault: FakeFault, retryAfterMs: number | null]>> = {
  "429 for two minutes": [answer(429, { message: "slow down" }, { "retry-after": "120" }), 120_000],
  "429 with a page": [answer(429, page, { ...html, "retry-after": "60" }), 60_000],
  "418 without a pause": [answer(418), null],
  "418 for three days": [answer(418, { message: "banned" }, { "retry-after": "259200" }), 86_400_000]
}

export const blocks: Readonly<Record<string, FakeFault>> = {
  "status 451": answer(451, { code: 0, msg: "Service unavailable from a restricted location" }),
  "status 451 with a page": answer(451, page, html),
  "status 403 with a page": answer(403, page, html),
  "status 403": answer(403),
  "status 403 with an error": answer(403, { code: -1, message: "forbidden" })
}

/** Responses that are valid JSON with an unexpected structure. */
export const foreignJson: Readonly<Record<string, FakeFault>> = {
  "null": withText("null"),
  "a number": withText("5"),
  "a text": withText(`"BTC"`),
  "a nested empty list": withText("[[]]"),
  "a list of numbers": withText("[5]"),
  "another API's error": answer(200, { error: { message: "oops" } })
}

/** Responses without usable data, which clients do not retry. */
export const unreadableBodies: Readonly<Record<string, FakeFault>> = {
  ...foreignJson,
  "a page instead of data": answer(200, page, html),
  "a page declared as JSON": answer(200, page),
  "nothing": withText(""),
  "half of the body": { _tag: "rewritten", rewrite: (text) => text.slice(0, text.length >> 1) },
  "the body twice": { _tag: "rewritten", rewrite: (text) => text + text },
  "a very deep list": withText(`${"[".repeat(100_000)}${"]".repeat(100_000)}`),
  "bytes that are not UTF-8": { _tag: "bytes", bytes: Uint8Array.of(0x5b, 0xff, 0xfe, 0x5d) },
  "an endless body": { _tag: "endless" },
  "status 404": answer(404, { message: "no such thing" }),
  "status 400": answer(400, { message: "bad" })
}

/** Redirects, which clients neither follow nor retry. */
export const redirections: Readonly<Record<string, FakeFault>> = {
  "a redirection": answer(302, "", { location: "http://127.0.0.1:9/elsewhere" })
}

const hourMs = 3_600_000
const withDate = (date: (now: number) => string | null): FakeFault => ({ _tag: "dated", date })

/**
 * Responses with a wrong `date` header, each with the expected clock skew in milliseconds. If the header contains no
 * readable date, the expected skew is null.
 */
export const clockSkews: Readonly<Record<string, readonly [fault: FakeFault, skewMs: number | null]>> = {
  "a date an hour ahead": [withDate((now) => new Date(now + hourMs).toUTCString()), hourMs],
  "a date a day behind": [withDate((now) => new Date(now - 24 * hourMs).toUTCString()), -24 * hourMs],
  "no date": [withDate(() => null), null],
  "a date that is none": [withDate(() => "yesterday, 5"), null]
}
