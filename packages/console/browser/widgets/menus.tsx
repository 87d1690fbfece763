import { Check } from "lucide-react"
import type { ReactNode } from "react"
import {
  Header,
  Menu as Items,
  MenuItem as Item,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator
} from "react-aria-components"
import styles from "./menus.module.css"

/** A menu that opens when the user presses the given button. */
export const Menu = ({ button, children, label }: {
  readonly button: ReactNode
  readonly label: string
  readonly children: ReactNode
}) => (
  <MenuTrigger>
    {button}
    <Popover className={`popover ${styles["popover"]}`} placement="bottom end">
      <Items className={styles["menu"]!} aria-label={label}>{children}</Items>
    </Popover>
  </MenuTrigger>
)

export const MenuEntry = ({ children, href, icon, onAction }: {
  readonly children: string
  readonly icon?: ReactNode
  readonly onAction?: () => void
  readonly href?: string
}) => (
  <Item
    className={styles["entry"]!}
    textValue={children}
    {...(onAction === undefined ? {} : { onAction })}
    {...(href === undefined ? {} : { href })}
  >
    {icon}
    <span>{children}</span>
  </Item>
)

export const MenuChoice = <Value extends string>({ selected, onChange, options, title }: {
  readonly title: string
  readonly selected: Value
  readonly options: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  readonly onChange: (value: Value) => void
}) => (
  <MenuSection
    selectionMode="single"
    selectedKeys={[selected]}
    disallowEmptySelection
    onSelectionChange={(keys) => {
      const found = options.find(({ value }) => keys !== "all" && keys.has(value))
      if (found !== undefined) onChange(found.value)
    }}
  >
    <Header className={styles["title"]}>{title}</Header>
    {options.map(({ label, value }) => (
      <Item key={value} id={value} className={styles["entry"]!} textValue={label}>
        {({ isSelected }) => (
          <>
            <span className={styles["mark"]}>{isSelected && <Check aria-hidden />}</span>
            <span>{label}</span>
          </>
        )}
      </Item>
    ))}
  </MenuSection>
)

export const MenuSeparator = () => <Separator className={styles["line"]!} />
