"""What an operator looks at: the doctor, the vital signs of a service, the gauges of `/metrics`."""
