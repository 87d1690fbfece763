import { describe, expect, it } from "vitest"
import { NoData, SourceUnavailable, UnknownSymbol } from "../../src/market/errors.ts"

describe("market errors", () => {
  it("say what is wrong in one sentence", () => {
    expect(new UnknownSymbol({ symbol: "NOPE" }).message).toBe("unknown symbol: NOPE")
    expect(
      new NoData({
        subject: "DOGE options",
        reason: { key: "none_with_options", params: { coin: "DOGE", listed: "BTC" } }
      }).message
    ).toBe(
      "no data for DOGE options: DOGE has no options; they are listed on BTC."
    )
    const unavailable = new SourceUnavailable({
      source: "opendart",
      failure: "not_configured",
      reason: "set OPENDART_API_KEY",
      retryable: false,
      variable: "OPENDART_API_KEY"
    })
    expect(unavailable.message).toBe("opendart is unavailable: set OPENDART_API_KEY")
    expect(unavailable._tag).toBe("SourceUnavailable")
  })

  it("tell a source that is asked too much from one that is away", () => {
    const saysOf = (failure: "rate_limited" | "unreachable") =>
      new SourceUnavailable({ source: "simulated", failure, reason: "no thread is free", retryable: true }).toolFailure
        .says
    expect(saysOf("rate_limited")).toEqual({ key: "source_busy", params: { source: "simulated" } })
    expect(saysOf("unreachable")).toEqual({ key: "source_unavailable", params: { source: "simulated" } })
  })
})
