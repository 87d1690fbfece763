/** Compares the responses of the servers with the credits that the database charged. */
import { auditLedger } from "@tapeline/soak/audit"
import autocannon from "autocannon"
import type { Sql } from "postgres"
import type { ServerUnderTest } from "../load/serverUnderTest.ts"

const body = JSON.stringify({ coin: "BTC" })

interface Books {
  readonly used: number
  readonly reserved: number
}

const readBooks = async (sql: Sql): Promise<Books> => {
  const [row] = await sql<Array<Books>>`
    select coalesce(sum(used), 0)::float8 as used, coalesce(sum(reserved), 0)::float8 as reserved from credit_months`
  return row!
}

/** Makes exactly `count` calls of a server, and returns the number of successful responses. */
const makeCalls = async ({ keys, url }: ServerUnderTest, connections: number, count: number): Promise<number> => {
  let client = 0
  const result = await autocannon({
    url,
    method: "POST",
    body,
    connections,
    amount: count,
    timeout: 60,
    setupClient: (connection) => {
      connection.setHeaders({
        "content-type": "application/json",
        authorization: `Bearer ${keys[client++ % keys.length]}`
      })
    }
  })
  return result["2xx"]
}

/**
 * Makes `count` calls of each server at the same time, and returns the number of calls. Throws if the charged credits
 * differ from the number of successful calls. A call without a response may or may not be charged.
 */
export const checkCharges = async (
  sql: Sql,
  subjects: ReadonlyArray<ServerUnderTest>,
  connections: number,
  count: number
): Promise<number> => {
  const total = count * subjects.length
  for (let triesLeft = 3;; triesLeft--) {
    const before = await readBooks(sql)
    const counts = await Promise.all(subjects.map((subject) => makeCalls(subject, connections, count)))
    const after = await readBooks(sql)
    const successful = counts.reduce((sum, one) => sum + one, 0)
    const charged = after.used - before.used
    const result = `${total} calls: ${successful} successful, ${charged} credits charged`
    if (charged < successful || charged > total || after.reserved !== 0) throw new Error(result)
    if (successful === total) return total
    console.log(`${result}. Failed calls are repeated.`)
    if (triesLeft === 1) throw new Error(`${result}. The machine is too busy.`)
  }
}

/** Throws if a month, a day or a reservation of the ledger contradicts the others. */
export const auditBooks = async (sql: Sql): Promise<void> => {
  const findings = await auditLedger((statement) => sql.unsafe(statement))
  if (findings.length > 0) throw new Error(findings.join("\n"))
}
