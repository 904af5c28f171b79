// Keeps every worker at hand, so that one can be killed, and what the policy forbade.
globalThis.spied = { workers: [], violations: [] };
const Real = Worker;
globalThis.Worker = class extends Real {
  constructor(...args) {
    super(...args);
    spied.workers.push(this);
  }
};
addEventListener("securitypolicyviolation", (event) => spied.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
