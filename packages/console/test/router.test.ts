import { expect, it } from "vitest"
import { fillPath, matchPath, toAddress, toPath } from "../browser/router/route.ts"

it("converts between paths of the browser and the console, with any number of slashes", () => {
  expect(toPath("/app")).toBe("/")
  expect(toPath("/app/")).toBe("/")
  expect(toPath("/app/tools/")).toBe("/tools")
  expect(toPath("/app//tools")).toBe("/tools")
  expect(toPath("/apple")).toBe("/apple")
  expect(toAddress("/tools")).toBe("/app/tools")
})

it("decodes parameters, and does not match other paths or invalid encodings", () => {
  expect(matchPath("/tools", "/tools")).toEqual({})
  expect(matchPath("/tools/:name", "/tools/get_price")).toEqual({ name: "get_price" })
  expect(matchPath("/tools/:name", "/tools/a%2Fb")).toEqual({ name: "a/b" })
  expect(matchPath("/tools/:name", "/tools")).toBeUndefined()
  expect(matchPath("/tools/:name", "/tools/a/b")).toBeUndefined()
  expect(matchPath("/tools/:name", "/tools/%zz")).toBeUndefined()
})

it("throws if a parameter of a path is missing or empty", () => {
  const pattern: string = "/tools/:name"
  for (const params of [{}, { name: "" }, { task: "7" }]) {
    expect(() => fillPath(pattern, params)).toThrow("/tools/:name needs a value for :name")
  }
})

it("matches a filled path with the same parameters", () => {
  for (const name of ["get_price", "a/b", "50%", "a b?c#d", "비트코인"]) {
    expect(matchPath("/tools/:name", fillPath("/tools/:name", { name }))).toEqual({ name })
  }
})
