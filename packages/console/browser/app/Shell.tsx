import { Ellipsis } from "lucide-react"
import { type ReactNode, useState } from "react"
import { Button as Pressed } from "react-aria-components"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import { useTexts } from "../i18n/texts.ts"
import { pages } from "../pages/index.ts"
import type { Page } from "../pages/page.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { Link } from "../widgets/layout.tsx"
import { headerItems } from "./headerItems.tsx"
import { Logo } from "./Logo.tsx"
import styles from "./Shell.module.css"
import { frameTexts } from "./texts.ts"

type NavigationPage = Page & { readonly place: NonNullable<Page["place"]> }

const navigationPages = pages.filter((page): page is NavigationPage => page.place !== undefined)

/**
 * Returns whether a path belongs to a page or to one of the page's subpages. For example, `/tools/get_price` is a
 * subpage of `/tools`.
 */
const isCurrentPage = ({ path }: Page, currentPath: string): boolean =>
  currentPath === path || (path !== "/" && currentPath.startsWith(`${path}/`))

const NavigationEntry = ({ currentPath, page }: { readonly page: NavigationPage; readonly currentPath: string }) => {
  const { language } = useLanguage()
  const Icon = page.place.icon
  const isHere = isCurrentPage(page, currentPath)
  return (
    <li
      className={`${styles["entry"]} ${isHere ? styles["here"] : ""}`}
      {...(isHere ? { "aria-current": "page" } : {})}
    >
      <Link href={page.path} variant="block">
        <Icon aria-hidden />
        <span>{page.name[language]}</span>
      </Link>
    </li>
  )
}

const NavigationGroup = ({ currentPath, group, title }: {
  readonly currentPath: string
  readonly group: NavigationPage["place"]["group"]
  readonly title?: string
}) => {
  const groupPages = navigationPages.filter(({ place }) => place.group === group)
  if (groupPages.length === 0) return null
  return (
    <>
      {title !== undefined && <p className={styles["group"]}>{title}</p>}
      <ul className={styles["list"]}>
        {groupPages.map((page) => <NavigationEntry key={page.path} page={page} currentPath={currentPath} />)}
      </ul>
    </>
  )
}

/** The number of pages in the bottom bar of a narrow screen. The last entry of the bar opens a list of all pages. */
const maxBarPages = 4

const BottomBar = ({ currentPath }: { readonly currentPath: string }) => {
  const texts = useTexts(frameTexts)
  const [isOpen, setIsOpen] = useState(false)
  const barPages = navigationPages.slice(0, navigationPages.length > maxBarPages + 1 ? maxBarPages : maxBarPages + 1)
  return (
    <nav className={styles["bar"]} aria-label={texts.navigation}>
      <ul className={styles["barList"]}>
        {barPages.map((page) => <NavigationEntry key={page.path} page={page} currentPath={currentPath} />)}
        {navigationPages.length > barPages.length && (
          <li className={styles["entry"]}>
            <Pressed className={styles["more"]!} onPress={() => setIsOpen(true)}>
              <Ellipsis aria-hidden />
              <span>{texts.more}</span>
            </Pressed>
          </li>
        )}
      </ul>
      <Dialog title={texts.moreTitle} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        {/* A click on a link in the dialog also closes the dialog. */}
        <div className={styles["all"]} onClickCapture={() => setIsOpen(false)} role="presentation">
          <NavigationGroup currentPath={currentPath} group="work" />
          <NavigationGroup currentPath={currentPath} group="account" title={texts.account} />
        </div>
      </Dialog>
    </nav>
  )
}

/** The page frame for signed-in users, with navigation at the side, or at the bottom of a narrow screen. */
export const Shell = ({ currentPath, children }: { readonly currentPath: string; readonly children: ReactNode }) => {
  const texts = useTexts(frameTexts)
  return (
    <div className={styles["shell"]}>
      <a className={styles["skip"]} href="#page">{texts.skip}</a>
      <aside className={styles["side"]}>
        <div className={styles["mark"]}>
          <Logo />
        </div>
        <nav aria-label={texts.navigation}>
          <NavigationGroup currentPath={currentPath} group="work" />
          <NavigationGroup currentPath={currentPath} group="account" title={texts.account} />
        </nav>
      </aside>
      <header className={styles["top"]}>
        <div className={styles["topMark"]}>
          <Logo />
        </div>
        <div className={styles["corner"]}>
          {headerItems.map(({ id, item }) => <span key={id} className={styles["item"]}>{item}</span>)}
        </div>
      </header>
      <main className={styles["page"]} id="page" tabIndex={-1}>{children}</main>
      <BottomBar currentPath={currentPath} />
    </div>
  )
}
