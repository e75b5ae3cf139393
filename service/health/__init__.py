"""What an operator asks: the doctor, the vital signs of a service, the gauges."""
