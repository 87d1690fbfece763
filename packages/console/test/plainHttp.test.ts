import { expect, it } from "vitest"
import { dropsSessionCookie } from "../browser/pages/signIn/plainHttp.ts"

it("keeps a session over https, and over plain http only at loopback addresses", () => {
  const secureOrigins = [
    "https://tapeline.example",
    "http://localhost:8787",
    "http://a.localhost",
    "http://127.0.0.1:8787",
    "http://[::1]:8787"
  ]
  expect(secureOrigins.filter((address) => dropsSessionCookie(new URL(address)))).toEqual([])
  const insecureOrigins = [
    "http://192.168.1.4:8787",
    "http://tapeline.example",
    "http://localhost.example",
    "http://127.0.0.1.example"
  ]
  expect(insecureOrigins.filter((address) => !dropsSessionCookie(new URL(address)))).toEqual([])
})
