import { expect, it } from "vitest"
import { fillPath, matchPath, toAddress, toPath } from "../browser/router/route.ts"

it("a path of the browser is one of the console, whatever slashes it has, and the other way round", () => {
  expect(toPath("/app")).toBe("/")
  expect(toPath("/app/")).toBe("/")
  expect(toPath("/app/tools/")).toBe("/tools")
  expect(toPath("/app//tools")).toBe("/tools")
  expect(toPath("/apple")).toBe("/apple")
  expect(toAddress("/tools")).toBe("/app/tools")
})

it("segments that vary are given decoded; another's path, and one that is no text, are nobody's", () => {
  expect(matchPath("/tools", "/tools")).toEqual({})
  expect(matchPath("/tools/:name", "/tools/get_price")).toEqual({ name: "get_price" })
  expect(matchPath("/tools/:name", "/tools/a%2Fb")).toEqual({ name: "a/b" })
  expect(matchPath("/tools/:name", "/tools")).toBeUndefined()
  expect(matchPath("/tools/:name", "/tools/a/b")).toBeUndefined()
  expect(matchPath("/tools/:name", "/tools/%zz")).toBeUndefined()
})

it("a path that is given nothing for a segment that varies is none", () => {
  const pattern: string = "/tools/:name"
  for (const params of [{}, { name: "" }, { task: "7" }]) {
    expect(() => fillPath(pattern, params)).toThrow("/tools/:name is given nothing for :name")
  }
})

it("what a path is filled with is read again as it was", () => {
  for (const name of ["get_price", "a/b", "50%", "a b?c#d", "비트코인"]) {
    expect(matchPath("/tools/:name", fillPath("/tools/:name", { name }))).toEqual({ name })
  }
})
