import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { afterEach, expect, it, vi } from "vitest"

afterEach(() => {
  vi.unstubAllEnvs()
})

const program = "tapeline-none: install it"

it("skips a suite whose program is missing, and reports the needed program", () => {
  vi.stubEnv("CI", "")
  expect(skipWithoutProgram(program, false)).toEqual({ skip: true, meta: { requirement: program } })
  expect(skipWithoutProgram(program, true)).toEqual({})
})

it("fails a CI run whose program is missing", () => {
  vi.stubEnv("CI", "true")
  expect(() => skipWithoutProgram(program, false)).toThrow(`Missing ${program}`)
  expect(skipWithoutProgram(program, true)).toEqual({})
})

it("finds a program in PATH", () => {
  expect(findProgram("tapeline-none")).toBeNull()
  expect(findProgram("tapeline-none", "node")).toMatch(/\/node$/u)
})
