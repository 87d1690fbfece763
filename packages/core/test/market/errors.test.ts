import { describe, expect, it } from "vitest"
import { NoData, SourceUnavailable, UnknownSymbol } from "../../src/market/errors.ts"

describe("market errors", () => {
  it("explain the problem in one sentence", () => {
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

  it("have a separate message for each kind of source failure", () => {
    const messageOf = (failure: SourceUnavailable["failure"]) =>
      new SourceUnavailable({ source: "simulated", failure, reason: "no thread is free", retryable: true }).toolFailure
        .callerMessage
    expect(messageOf("rate_limited")).toEqual({ key: "source_busy", params: { source: "simulated" } })
    expect(messageOf("malformed")).toEqual({ key: "source_unreadable", params: { source: "simulated" } })
    expect(messageOf("unreachable")).toEqual({ key: "source_unavailable", params: { source: "simulated" } })
    expect(messageOf("filling")).toEqual({ key: "source_filling", params: { source: "simulated" } })
    expect(messageOf("blocked")).toEqual({ key: "source_blocked", params: { source: "simulated" } })
  })

  it("name the source and the kind of failure in machine-readable fields", () => {
    for (
      const failure of ["unreachable", "rate_limited", "malformed", "not_configured", "blocked", "filling"] as const
    ) {
      const error = new SourceUnavailable({ source: "binance", failure, reason: "it failed", retryable: true })
      expect(error.toolFailure).toMatchObject({ code: "source_unavailable", source: "binance", failure })
    }
    const error = { source: "binance", failure: "unreachable", reason: "it failed", retryable: true } as const
    expect(new SourceUnavailable({ ...error, hasNoNetwork: true }).toolFailure).toMatchObject({
      code: "source_unavailable",
      failure: "no_network",
      callerMessage: { key: "source_without_network" }
    })
    expect(new UnknownSymbol({ symbol: "NOPE" }).toolFailure).not.toHaveProperty("failure")
  })

  it("state the seconds until a retry, rounded up", () => {
    const busy = {
      source: "simulated",
      failure: "rate_limited",
      reason: "the minute is used up",
      retryable: true
    } as const
    const secondsAfter = (retryAfterMs: number) =>
      new SourceUnavailable({ ...busy, retryAfterMs }).toolFailure.callerMessage
    const busyReason = (seconds: number) => ({ key: "source_busy_for", params: { source: "simulated", seconds } })
    expect([0, 1, 1_000, 1_001].map(secondsAfter)).toEqual([busyReason(1), busyReason(1), busyReason(1), busyReason(2)])
  })
})
