import { layerPglite } from "@tapeline/postgres"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { join } from "node:path"
import { expect, it } from "vitest"
import { sessionsWords } from "../../../browser/pages/sessions/words.ts"
import { signInWords } from "../../../browser/pages/signIn/words.ts"
import { toolWords } from "../../../browser/pages/tool/words.ts"
import { widgetWords } from "../../../browser/widgets/words.ts"
import { answered } from "../support/forms.ts"
import type { House } from "../support/house.ts"

/** Runs statements on the data of a server that is not running. */
const inData = (dataDir: string, statements: ReadonlyArray<string>): Promise<void> =>
  Effect.runPromise(
    Effect.flatMap(SqlClient, (sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })).pipe(
      Effect.provide(layerPglite({ dataDir: join(dataDir, "db") })),
      Effect.scoped
    )
  )

export const stopped = (house: () => House): void => {
  it("a page reports that the service stopped, and continues after its restart, with late links and stolen sessions", async () => {
    const [account, robbed] = [await house().account(), await house().account()]
    const link = await house().link(account)
    const { go, page } = await house().signedIn(account)
    const victim = await house().signedIn(robbed)
    await victim.go("/tools/get_price")
    await go("/tools/get_price")
    const run = page.getByRole("button", { name: toolWords.en.run, exact: true })
    await run.waitFor()
    await house().whileStopped(async (dataDir) => {
      await run.click()
      await page.getByRole("alert").getByText(widgetWords.en.unreachable).waitFor()
      const session = `(select max(id) from sessions where account = ${robbed})`
      await inData(dataDir, [
        `update sign_in_links set expires_at = 1 where used_at is null and account = ${account}`,
        // An hour ago, another client used the session's text, and has the text that replaced it.
        `update session_texts set state = 'past', since = since - 3600000 where session = ${session}`,
        `insert into session_texts (hash, session, state, since)
          select repeat('0', 64), session, 'current', since from session_texts where session = ${session}`
      ])
    })
    await run.click()
    await answered(page)
    const { credits } = await (await page.request.get("/v1/usage")).json()
    expect(credits).toMatchObject({ used: 1, reserved: 0 })

    const visitor = await house().visitor()
    await visitor.useLink(link)
    await visitor.page.getByRole("alert").getByText(/time has passed/u).waitFor()

    const out = victim.page.getByRole("status").getByText(signInWords.en.lost)
    // The page's notification stream may have detected it before.
    await Promise.any([out.waitFor(), victim.page.getByRole("button", { name: toolWords.en.run, exact: true }).click()])
    await out.waitFor()
    await victim.signIn(await house().link(robbed))
    await victim.go("/sessions")
    await victim.page.getByRole("status").getByText(sessionsWords.en.alarm).waitFor()
    await victim.page.getByRole("radio", { name: new RegExp(`^${sessionsWords.en.past}`, "u") }).click()
    await victim.page.getByText(sessionsWords.en.stolen).filter({ visible: true }).waitFor()
  })
}
