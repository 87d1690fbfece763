import { hourMs } from "@tapeline/core"
import { TestClock } from "effect/testing"
import { now } from "../support/patchy.ts"

export const at = (time: number) => TestClock.setTime(time)
export const iso = (time: number): string => new Date(time).toISOString()
export const sum = <A>(all: ReadonlyArray<A>, of: (one: A) => number): number =>
  all.reduce((total, one) => total + of(one), 0)
export const lastHour = Math.floor(now / hourMs) * hourMs
