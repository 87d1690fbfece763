import postgres from "postgres"
import { adminToken } from "./settings.ts"

export const createDatabase = async (server: string, name: string): Promise<string> => {
  const sql = postgres(server, { max: 1, onnotice: () => undefined })
  await sql.unsafe(`drop database if exists ${name} with (force)`)
  await sql.unsafe(`create database ${name}`)
  await sql.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

export const createKeys = async (address: string, accounts: number): Promise<ReadonlyArray<string>> => {
  const postAdmin = async (path: string, body: object) => {
    const response = await fetch(`${address}/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`The admin API returned ${response.status}: ${await response.text()}`)
    // The cast is safe, because the admin API responds with a new account or a new key.
    return await response.json() as { readonly id: number; readonly key: string }
  }
  const keys: Array<string> = []
  for (let i = 0; i < accounts; i++) {
    const { id } = await postAdmin("/accounts", { name: `bench ${i}`, plan: "bench" })
    keys.push((await postAdmin(`/accounts/${id}/keys`, { name: "bench", scopes: ["read:market"] })).key)
  }
  return keys
}
