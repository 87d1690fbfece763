import { isFullRun } from "@tapeline/testing/fullRun"
import axe, { type AxeResults, type RunOptions } from "axe-core"
import type { Page } from "playwright-core"

declare global {
  // oxlint-disable-next-line no-var
  var axe: { readonly run: (options: RunOptions) => Promise<AxeResults> }
}

export const waitUntilSettled = async (page: Page): Promise<void> => {
  // `waitFor` finds a heading even behind a dialog, where the heading is visible but hidden from screen readers.
  await page.locator("main h1").first().waitFor()
  await page.waitForFunction(() => document.querySelector("[role=status][aria-label]") === null)
  // On a touch screen, a dialog stays transparent for at least two frames while the page behind it is already hidden.
  // During the two frames, axe would check neither the dialog nor the page.
  await page.waitForFunction(() =>
    Array.from(document.querySelectorAll("[role=dialog]")).every((dialog) =>
      dialog.checkVisibility({ opacityProperty: true })
    )
  )
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
}

const runAxe = async (page: Page, options: RunOptions = {}): Promise<ReadonlyArray<string>> => {
  // Selectors are off, because computing them takes longer than all rules, and the element's HTML shows where a
  // violation is.
  const axeOptions: RunOptions = { ...options, resultTypes: ["violations"], selectors: false, preload: false }
  const violations = await page.evaluate((options) => globalThis.axe.run(options), axeOptions)
  return violations.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** The axe rules whose results depend on the theme. */
const colourRules: RunOptions = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }

/** Turns the axe rule `region` off for the check of a dialog, because a dialog is outside all regions of the page. */
export const dialogRules: RunOptions = { rules: { region: { enabled: false } } }

/**
 * Returns the violations of all axe rules in the theme `first`. In the full test run, also checks the rules about
 * colours in the other theme.
 */
export const findViolations = async (
  page: Page,
  first: "light" | "dark" = "light",
  options: RunOptions = {}
): Promise<ReadonlyArray<string>> => {
  await page.emulateMedia({ colorScheme: first })
  await waitUntilSettled(page)
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(axe.source)
  const violations = await runAxe(page, options)
  if (!isFullRun) return violations
  await page.emulateMedia({ colorScheme: first === "light" ? "dark" : "light" })
  await waitUntilSettled(page)
  return [...violations, ...await runAxe(page, colourRules)]
}
