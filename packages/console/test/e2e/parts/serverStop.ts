import { layerPglite } from "@tapeline/postgres"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { join } from "node:path"
import { expect, it } from "vitest"
import { sessionsTexts } from "../../../browser/pages/sessions/texts.ts"
import { signInTexts } from "../../../browser/pages/signIn/texts.ts"
import { toolTexts } from "../../../browser/pages/tool/texts.ts"
import { widgetTexts } from "../../../browser/widgets/texts.ts"
import type { TestEnvironment } from "../support/environment.ts"
import { waitForResult } from "../support/forms.ts"

const runStatements = (dataDir: string, statements: ReadonlyArray<string>): Promise<void> =>
  Effect.runPromise(
    Effect.flatMap(SqlClient, (sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })).pipe(
      Effect.provide(layerPglite({ dataDir: join(dataDir, "db") })),
      Effect.scoped
    )
  )

export const testServerStop = (environment: () => TestEnvironment): void => {
  it("reports a stopped service, and after its restart an expired link and a stolen session", async () => {
    const [account, victimAccount] = [await environment().createAccount(), await environment().createAccount()]
    const link = await environment().createLink(account)
    const { goTo, page } = await environment().openSignedIn(account)
    const victim = await environment().openSignedIn(victimAccount)
    await victim.goTo("/tools/get_price")
    await goTo("/tools/get_price")
    const run = page.getByRole("button", { name: toolTexts.en.run, exact: true })
    await run.waitFor()
    await environment().whileStopped(async (dataDir) => {
      await run.click()
      await page.getByRole("alert").getByText(widgetTexts.en.unreachable).waitFor()
      const session = `(select max(id) from sessions where account = ${victimAccount})`
      await runStatements(dataDir, [
        `update sign_in_links set expires_at = 1 where used_at is null and account = ${account}`,
        // The rows simulate a copied token: one hour ago, another client used the token and received the successor of
        // the token.
        `update session_texts set state = 'past', since = since - 3600000 where session = ${session}`,
        `insert into session_texts (hash, session, state, since)
          select repeat('0', 64), session, 'current', since from session_texts where session = ${session}`
      ])
    })
    await run.click()
    await waitForResult(page)
    const { credits } = await (await page.request.get("/v1/usage")).json()
    expect(credits).toMatchObject({ used: 1, reserved: 0 })

    const visitor = await environment().openVisitor()
    await visitor.useLink(link)
    await visitor.page.getByRole("alert").getByText(/has expired/u).waitFor()

    const signedOutMessage = victim.page.getByRole("status").getByText(signInTexts.en.lost)
    // The click can fail, because the page's notification stream may detect the end of the session before the click.
    await Promise.any([
      signedOutMessage.waitFor(),
      victim.page.getByRole("button", { name: toolTexts.en.run, exact: true }).click()
    ])
    await signedOutMessage.waitFor()
    await victim.signIn(await environment().createLink(victimAccount))
    await victim.goTo("/sessions")
    await victim.page.getByRole("status").getByText(sessionsTexts.en.stolenWarning).waitFor()
    await victim.page.getByRole("radio", { name: new RegExp(`^${sessionsTexts.en.past}`, "u") }).click()
    await victim.page.getByText(sessionsTexts.en.stolen, { exact: true }).filter({ visible: true }).waitFor()
  })
}
