// SPDX-License-Identifier: Apache-2.0
/** Grafana's variables replaced as Grafana would, so that Prometheus can be asked. */
export interface QueryVariables {
  readonly [name: string]: string;
}

export const withVariables = (expr: string, variables: QueryVariables): string => {
  const asked = expr.replace(/\$([a-z_]+)/g, (whole, name: string) => variables[name] ?? whole);
  if (asked.includes('$')) throw new Error(`a variable has no value: ${asked}`);
  return asked;
};
