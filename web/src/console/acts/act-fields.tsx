// What an act asks for.

import { type ReactNode, useId } from "react"
import type { ActField, ActValues } from "./act"
import styles from "./act-fields.module.css"

interface ActFieldsProps {
  readonly fields: readonly ActField[]
  readonly values: ActValues
  readonly fault: string | undefined
  readonly onChange: (values: ActValues) => void
}

export function ActFields({ fields, values, fault, onChange }: ActFieldsProps): ReactNode {
  const id = useId()
  return (
    <div className={styles.fields}>
      {fields.map(({ name, label, hint, longest, isNumber }) => (
        <label key={name}>
          <span>
            {label} {hint && <span className="quiet">{hint}</span>}
          </span>
          <input
            type="text"
            name={name}
            autoComplete="off"
            inputMode={isNumber ? "numeric" : undefined}
            maxLength={longest}
            value={values[name] ?? ""}
            aria-describedby={fault === undefined ? undefined : id}
            onChange={({ target }) => onChange({ ...values, [name]: target.value })}
          />
        </label>
      ))}
      {fault !== undefined && <p id={id}>{fault}</p>}
    </div>
  )
}
