import { hourMs } from "@tapeline/core"
import { TestClock } from "effect/testing"
import { now } from "../support/markets.ts"

export const setTime = (time: number) => TestClock.setTime(time)
export const formatIso = (time: number): string => new Date(time).toISOString()
export const sumOf = <A>(all: ReadonlyArray<A>, getValue: (one: A) => number): number =>
  all.reduce((total, one) => total + getValue(one), 0)
export const lastHour = Math.floor(now / hourMs) * hourMs
